"""Hides from plain code on the tape what tensors have and what they stand for has not.

A function that runs on tensors asks for attributes as if they were arrays and numbers: those of
PyTorch, which only tensors have, are no answer to that. What hides one of them is put into the
class when the first function comes that names it, and stays there; it does nothing for other code.
"""

from __future__ import annotations

import dis
import functools
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any, Final

import numpy as np

from srcgrad.locks import Lock
from srcgrad.tape.core import Core
from srcgrad.tape.modes import STATE
from srcgrad.tape.pynumbers import PythonFloat
from srcgrad.tape.tensor import Tensor

_MISSING: Final = object()
_LOCK: Final = Lock()
_PLAIN_CODES: Final = weakref.WeakSet[CodeType]()
"""The code that functions on the tape have reached; hooks and other code speak of tensors."""
_BINDERS: Final = frozenset(("setattr", "__setattr__"))
_fields_of: Final[Callable[[Any], dict[str, Any]]] = vars(Core)["__dict__"].__get__
_passing_on: Final = PythonFloat.__getattribute__


def has(kind: type, name: str) -> bool:
    """Say whether objects of a class of numbers or arrays have an attribute.

    >>> has(np.ndarray, "shape"), has(np.ndarray, "backward"), has(np.ndarray, "__name__")
    (True, False, False)
    """
    return any(name in vars(base) for base in kind.__mro__)


def hidden(value: Any, name: str) -> bool:
    """Say whether a tensor is to be without an attribute, as what it stands for is."""
    return STATE.strict and not STATE.speaks_torch and not has(value.__class__, name)


def lacking(value: Any, name: str) -> AttributeError:
    """Return the error for an attribute that the array or number has not."""
    kind = value.__class__
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return AttributeError(f"'{module}{kind.__name__}' object has no attribute {name!r}")


def hide(codes: Iterable[CodeType]) -> None:
    """Let code find on tensors no attribute that arrays have not, of those that it names."""
    known = list(codes)
    _PLAIN_CODES.update(known)
    caught = any(map(_catches, known))
    for code in known:
        for name in _named(code) | (_bound(code) if caught else frozenset()):
            if not isinstance(vars(Tensor).get(name), _Hidden):
                with _LOCK:
                    setattr(Tensor, name, _Hidden(name, _usual(name)))


class _Hidden:
    """An attribute of tensors that is none for code that knows arrays alone."""

    def __init__(self, name: str, usual: Any) -> None:
        self._name = name
        self._usual = usual
        self.__doc__ = getattr(usual, "__doc__", None)

    def __get__(self, tensor: Any, kind: Any = None) -> Any:
        usual = self._usual
        if tensor is not None:
            self._check(tensor)
            fields = _fields_of(tensor)
            if self._name in fields and not hasattr(usual, "__set__"):
                return fields[self._name]
        if usual is _MISSING:
            raise AttributeError(f"'Tensor' object has no attribute {self._name!r}")
        return usual.__get__(tensor, kind) if hasattr(usual, "__get__") else usual

    def __set__(self, tensor: Any, value: Any) -> None:
        self._check(tensor)
        if hasattr(self._usual, "__set__"):
            self._usual.__set__(tensor, value)
        else:
            _fields_of(tensor)[self._name] = value

    def __delete__(self, tensor: Any) -> None:
        self._check(tensor)
        if hasattr(self._usual, "__delete__"):
            self._usual.__delete__(tensor)
        elif _fields_of(tensor).pop(self._name, _MISSING) is _MISSING:
            raise AttributeError(self._name)

    def _check(self, tensor: Any) -> None:
        if hidden(tensor, self._name) and _asks_plainly():
            raise lacking(tensor, self._name)


def _asks_plainly() -> bool:
    """Say whether what asks for the attribute is code that knows arrays alone."""
    frame = sys._getframe(3)
    while frame.f_code is _passing_on.__code__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code in _PLAIN_CODES


@functools.cache
def _only_tensors() -> frozenset[str]:
    """Return the attributes that tensors have and arrays have not."""
    names = {name for name in dir(Tensor) if not name.startswith("_")}
    return frozenset(name for name in names if not has(np.ndarray, name))


def _usual(name: str) -> Any:
    found = (vars(base)[name] for base in Tensor.__mro__ if name in vars(base))
    return next(found, _MISSING)


@functools.lru_cache(maxsize=10_000)
def _named(code: CodeType) -> frozenset[str]:
    """Return the attributes of tensors alone that code names, also in texts.

    >>> def asks(y):
    ...     return y.backward, getattr(y, "grad", None), y.shape
    >>> sorted(_named(asks.__code__))
    ['backward', 'grad']
    """
    return _only_tensors().intersection((*code.co_names, *_texts(code.co_consts)))


@functools.lru_cache(maxsize=10_000)
def _bound(code: CodeType) -> frozenset[str]:
    """Return the attributes that code binds or deletes, and that neither arrays have nor tensors.

    >>> def binds(y):
    ...     y.heading, y.shape = "a", (3,)
    >>> sorted(_bound(binds.__code__))
    ['heading']
    """
    steps = dis.get_instructions(code)
    names = {step.argval for step in steps if step.opname in ("STORE_ATTR", "DELETE_ATTR")}
    if not _BINDERS.isdisjoint(code.co_names):
        names |= {text for text in _texts(code.co_consts) if text.isidentifier()}
    kinds = (np.ndarray, Tensor, type)  # what a class has as a class, such as its name, stays
    return frozenset(name for name in names if not any(has(kind, name) for kind in kinds))


@functools.lru_cache(maxsize=10_000)
def _catches(code: CodeType) -> bool:
    """Say whether code may go on after an error."""
    catches = any(step.opname == "CHECK_EXC_MATCH" for step in dis.get_instructions(code))
    return catches or "suppress" in code.co_names


def _texts(constants: Iterable[Any]) -> Iterator[str]:
    for item in constants:
        if isinstance(item, str):
            yield item
        elif isinstance(item, (tuple, frozenset)):
            yield from _texts(item)
