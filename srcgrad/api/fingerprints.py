"""Tells code and files apart in all processes, by what they hold."""

from __future__ import annotations

import functools
import hashlib
import linecache
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from srcgrad.runtime.objects import held_attribute


class UnknownError(Exception):
    """There is something that only the compiler can look at."""


def of_code(code: CodeType) -> str:
    """Return what tells the code of a function apart, wherever its file lies.

    >>> one, other = (compile(text, "f", "eval") for text in ("x + 1", "x + 1.0"))
    >>> of_code(one) == of_code(other), of_code(one) == of_code(compile("x + 1", "g", "eval"))
    (False, True)
    """
    return _digest("\n".join(_parts_of(code)))


def _parts_of(code: CodeType) -> Iterator[str]:
    yield repr((code.co_name, code.co_qualname, code.co_firstlineno, code.co_flags))
    yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount))
    yield repr((code.co_code, code.co_linetable, code.co_exceptiontable))
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield from map(_spelled, code.co_consts)


def _spelled(constant: Any) -> str:
    if isinstance(constant, CodeType):
        return of_code(constant)
    if isinstance(constant, tuple):
        return f"({', '.join(map(_spelled, constant))})"
    if isinstance(constant, frozenset):  # whose order is another in each process
        return f"{{{', '.join(sorted(map(_spelled, constant)))}}}"
    return f"{type(constant).__name__} {constant!r}"


def of_file(file: str) -> str:
    """Return what tells the text of a file apart.

    Raises:
        UnknownError: There is no such text.
    """
    try:
        found = os.stat(file)  # noqa: PTH116 - quicker
    except OSError:
        lines = linecache.getlines(file)
        if not lines:
            raise UnknownError from None
        return _digest("".join(lines))
    return _of_bytes(str(Path(file).absolute()), found.st_mtime_ns, found.st_size)


@functools.lru_cache(maxsize=256)
def _of_bytes(file: str, _changed: int, _size: int) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        raise UnknownError from None


def of_value(value: Any) -> str:
    """Return what tells a function, class or module that a text was made for apart.

    Raises:
        UnknownError: Its text cannot be found.
    """
    if isinstance(value, FunctionType):
        code = value.__code__
        return f"{code.co_filename} {of_code(code)} {of_file(code.co_filename)}"
    if isinstance(value, type):
        return " ".join(dict.fromkeys(map(_of_class, value.__mro__)))
    return f"{type(value).__name__} {getattr(value, '__name__', '')}"


def _of_class(kind: type) -> str:
    """Return what tells a class apart: what it holds now, and the text of its module."""
    module = sys.modules.get(kind.__module__)
    if module is None:
        raise UnknownError
    file = getattr(module, "__file__", None)
    if file is None:
        return f"{kind.__module__} {kind.__qualname__}"
    held = [f"{name} {_of_attribute(item)}" for name, item in vars(kind).items()]
    return f"{kind.__qualname__} {of_file(file)} {_digest(repr(held))}"


def _of_attribute(value: Any) -> str:
    if isinstance(value, property):
        return " ".join(map(_of_attribute, (value.fget, value.fset)))
    value = getattr(value, "__func__", value)  # of a static method
    if isinstance(value, FunctionType):
        return of_code(value.__code__)
    is_constant = isinstance(value, (int, float, complex, str, bytes, type(None)))
    return f"{type(value).__name__} {value!r}" if is_constant else type(value).__name__


def of_program(program: Iterable[Any]) -> str:
    """Return what tells the code and the values that a function reaches apart."""
    return _digest("\n".join(map(_of_part, program)))


def _of_part(value: Any) -> str:
    if isinstance(value, CodeType):
        return of_code(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_of_part, value))})"
    if isinstance(value, (int, float, complex, str, bytes, type(None))):
        return f"{type(value).__name__} {value!r}"
    named = type(value) if held_attribute(value, "__name__") is None else value
    return f"{getattr(named, '__module__', '')} {named.__name__}"


@functools.cache
def of_package() -> str:
    """Return what tells this package, Python and NumPy apart from others."""
    folder = Path(__file__).parent.parent
    files = sorted(_files_in(str(folder), ""))
    return _digest(f"{sys.version} {np.__version__} {files}")


def _files_in(folder: str, place: str) -> Iterator[tuple[str, int, int]]:
    for item in os.scandir(folder):
        if item.is_dir():
            if item.name != "__pycache__":
                yield from _files_in(item.path, f"{place}{item.name}/")
        elif item.name.endswith(".py"):
            found = item.stat()
            yield place + item.name, found.st_mtime_ns, found.st_size


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
