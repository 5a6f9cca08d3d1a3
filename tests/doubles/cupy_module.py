"""CuPy, as far as its own source tells what it has, over the arrays of the double."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.runtime.elsewhere import array_parameters
from tests.doubles.cupy_array import made, ndarray, unwrap, wrap
from tests.doubles.cupy_names import NAMES, Known, check_keywords

_MAKES = frozenset("array asarray ascontiguousarray asanyarray asfortranarray".split())
_REDUCES = frozenset("add multiply maximum minimum logical_and logical_or".split())
_ADDS = frozenset("add subtract maximum minimum bitwise_and bitwise_or bitwise_xor".split())
_OWN = frozenset("asnumpy get_array_module".split())
_LINALG: ContextVar[str] = ContextVar("linalg", default="ignore")


class ufunc:
    """A function of elements, which takes numbers and arrays of the device."""

    def __init__(self, own: np.ufunc) -> None:
        self._own = own
        self.__name__ = f"cupy_{own.__name__}"
        self.nin, self.nout, self.nargs = own.nin, own.nout, own.nargs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        check_keywords(self.__name__, kwargs, ("out", "dtype", "casting", "where"))
        for item in args:
            if isinstance(item, (list, tuple)):
                raise TypeError(f"Unsupported type {type(item)}")
        out = kwargs.get("out")
        done = wrap(self._own(*unwrap(args), **unwrap(kwargs)))
        return done if out is None else out

    def at(self, a: Any, indices: Any, b: Any = None) -> None:
        if self._own.__name__ not in _ADDS:
            raise NotImplementedError(f"`{self.__name__}.at` is not supported yet")
        given = () if b is None else (unwrap(b),)
        self._own.at(a._host, unwrap(indices), *given)

    def reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        return self._along("reduce", array, axis=axis, dtype=dtype, keepdims=keepdims)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        return self._along("accumulate", array, axis=axis, dtype=dtype)

    def _along(self, method: str, array: Any, **options: Any) -> Any:
        if self._own.__name__ not in _REDUCES:
            raise NotImplementedError(f"`{self.__name__}.{method}` is not supported yet")
        return wrap(getattr(self._own, method)(_host_of(array), **options))

    def outer(self, A: Any, B: Any, **kwargs: Any) -> Any:
        return wrap(self._own.outer(unwrap(A), unwrap(B), **unwrap(kwargs)))


def _host_of(value: Any) -> Any:
    if not isinstance(value, ndarray):
        raise TypeError(f"Argument has incorrect type (expected cupy.ndarray, got {type(value)})")
    return value._host


def _function(name: str, known: Known, own: Any) -> Any:
    """Return a function of CuPy: that of NumPy, if it is given what CuPy takes."""

    @functools.wraps(own)
    def function(*args: Any, **kwargs: Any) -> Any:
        kinds = array_parameters(own)
        first = next(iter(kinds), "")
        check_keywords(name, kwargs, known.parameters)
        most = known.parameters
        if most is not None and not any("*" in item for item in most) and len(args) > len(most):
            raise TypeError(f"{name}() takes {len(most)} positional arguments")
        _check_first(args[0] if args else kwargs.get(first), kinds.get(first), known)
        renamed = _renamed(own, known, kwargs)
        out = kwargs.get("out")
        try:
            done = wrap(own(*unwrap(args), **unwrap(renamed)))
        except np.linalg.LinAlgError:
            if _LINALG.get() == "raise":
                raise
            return made(np.full(np.shape(unwrap(args[0])), np.nan))
        return done if out is None else out

    if known.parameters is not None:
        kinds_of = inspect.Parameter
        function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                kinds_of(p.strip("*"), _KINDS[p.count("*")])
                for p in sorted(known.parameters, key=lambda p: p.count("*"))
            ]
        )
    return function


_KINDS = (
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
)


def _check_first(value: Any, kind: str | None, known: Known) -> None:
    if kind == "array" and value is not None and not isinstance(value, ndarray):
        mark = "[]" if isinstance(value, (list, tuple)) else "1"
        if mark not in known.takes:
            raise AttributeError(f"'{type(value).__name__}' object is no cupy.ndarray")
    if kind == "arrays" and isinstance(value, (list, tuple)):
        for item in value:
            if not isinstance(item, ndarray):
                raise TypeError(f"Argument has incorrect type, got {type(item)}")


def _renamed(own: Any, known: Known, given: dict[str, Any]) -> dict[str, Any]:
    """Return keywords by the names that NumPy has for them: of the same position."""
    try:
        names = list(inspect.signature(own).parameters)
    except (TypeError, ValueError):
        return given
    there = list(known.parameters or ())
    return {
        key if key in names or key not in there else names[there.index(key)]: value
        for key, value in given.items()
    }


def _array(obj: Any, dtype: Any = None, copy: bool = True, order: str = "K") -> Any:
    """Return an array on the device, of lists of arrays too if all are alike."""
    if isinstance(obj, (list, tuple)):
        leaves = list(_leaves(obj))
        there = [isinstance(item, ndarray) for item in leaves]
        if any(there) and not all(there):
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")
        return made(np.array(unwrap(obj), dtype))
    if isinstance(obj, ndarray):
        same = dtype is None or np.dtype(dtype) == obj.dtype
        return obj if same and not copy else made(np.array(obj._host, dtype))
    return made(np.array(obj, dtype))


def _leaves(value: Any) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    return _array(a, dtype, copy=False)


class Generator:
    """A generator of random numbers of the device."""

    def __init__(self, seed: Any = None) -> None:
        self._own = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        if f"random.Generator.{name}" not in NAMES:
            raise AttributeError(f"'Generator' object has no attribute '{name}'")
        draw = getattr(self._own, name)
        return lambda *args, **kwargs: wrap(np.asarray(draw(*unwrap(args), **unwrap(kwargs))))


Generator.__module__ = "cupy.random._generator_api"


def _draw(own: Any) -> Any:
    return lambda *args, **kwargs: wrap(np.asarray(own(*unwrap(args), **unwrap(kwargs))))


def _meaning(name: str, known: Known) -> Any:
    own: Any = np
    for part in name.split("."):
        own = getattr(own, part, None)
    if name in ("ndarray", "ufunc"):
        return {"ndarray": ndarray, "ufunc": ufunc}[name]
    if name.startswith("random.") and own is not None:
        return _draw(own) if known.kind == "function" else Generator
    if known.kind == "ufunc" and isinstance(own, np.ufunc):
        return ufunc(own)
    if known.kind == "value" or own is None:
        return own
    if name in _MAKES:
        return asarray if name != "array" else _array
    if not hasattr(own, "_implementation"):  # it makes arrays, or is not about arrays at all
        return lambda *args, **kwargs: wrap(own(*unwrap(args), **unwrap(kwargs)))
    return _function(name, known, own)


def double() -> ModuleType:
    """Return CuPy without a device."""
    cupy = ModuleType("cupy")
    for name, known in NAMES.items():
        if known.kind in ("method", "draw"):
            continue
        meaning = _meaning(name, known)
        if meaning is None:
            continue
        space, _, last = name.rpartition(".")
        owner = cupy
        if space:
            owner = vars(cupy).setdefault(space, ModuleType(f"cupy.{space}"))
        setattr(owner, last, meaning)
    cupy.random.default_rng = Generator  # type: ignore[attr-defined]
    cupy.asnumpy = lambda array: array.get()  # type: ignore[attr-defined]
    cupy.newaxis = None  # type: ignore[attr-defined]
    return cupy


@contextlib.contextmanager
def errstate(*, linalg: str = "ignore") -> Iterator[None]:
    """Let linear algebra raise what NumPy's does, or hand on numbers that mean nothing."""
    token = _LINALG.set(linalg)
    try:
        yield
    finally:
        _LINALG.reset(token)


def _extension() -> ModuleType:
    cupyx = ModuleType("cupyx")
    cupyx.errstate = errstate  # type: ignore[attr-defined]
    return cupyx


CUPY = double()
_MODULES = {"cupy": CUPY, "cupyx": _extension()}


@contextlib.contextmanager
def installed() -> Iterator[ModuleType]:
    """Let a program have imported it."""
    before = {name: sys.modules.get(name) for name in _MODULES}
    sys.modules.update(_MODULES)
    try:
        yield CUPY
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
