"""Pickles derivatives: by the name that they stand under, else by what they were made with.

A function that other processes do not find (in a notebook, or inside another function) is pickled
by value where cloudpickle does so, and its text goes along, since its file stays behind.
"""

from __future__ import annotations

import linecache
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from inspect import getattr_static
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from srcgrad.api.refusal import describe
from srcgrad.api.selection import innermost
from srcgrad.backends import by_value

_UNDER_WAY: Final[ContextVar[frozenset[int]]] = ContextVar("srcgrad_pickling", default=frozenset())
_MAIN: Final = "__main__"


def stands_under_its_name(derivative: Any) -> bool:
    """Say whether a derivative is found where its function would be, as a decorated one is."""
    module = getattr(derivative.primal, "__module__", "")
    return _under(module, describe(derivative.primal)) is derivative


def _under(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module, None)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def reduced(derivative: Any, **fresh: Any) -> Any:
    """Return how to pickle a derivative; `fresh` are attributes that it begins with again."""
    primal = derivative.primal
    if isinstance(primal, MethodType) and not isinstance(primal.__self__, type):
        held = getattr_static(type(primal.__self__), primal.__name__, None)
        if type(held) is type(derivative):
            return getattr, (primal.__self__, primal.__name__)
    return by_name_or_parts(
        derivative, _made_again, type(derivative), {**vars(derivative), **fresh}
    )


def by_name_or_parts(derivative: Any, make: Callable[..., Any], *parts: Any) -> Any:
    """Return how to pickle a derivative, which `make` makes of its parts."""
    if stands_under_its_name(derivative):
        return _by_name(derivative, make, parts)
    texts = dict(_texts_of(innermost(derivative.primal), set()))
    return (_with_texts, (texts, make, *parts)) if texts else (make, parts)


def _by_name(derivative: Any, make: Callable[..., Any], parts: tuple[Any, ...]) -> Any:
    """Return a name, and for a program whose main module others lack, the parts as well."""
    name, under_way = describe(derivative.primal), _UNDER_WAY.get()
    is_main = getattr(derivative.primal, "__module__", "") == _MAIN
    if not is_main or not by_value.is_in_use() or id(derivative) in under_way:
        return name
    token = _UNDER_WAY.set(under_way | {id(derivative)})  # it may call itself by its name
    try:
        content = by_value.pickled((make, parts), f"`{name}`")
    finally:
        _UNDER_WAY.reset(token)
    texts = dict(_texts_of(innermost(derivative.primal), set()))
    return _with_texts, (texts, _found_or_made, name, content)


def _found_or_made(name: str, content: bytes) -> Any:
    """Return what the main module here has under a name, if it is of the same code."""
    make, parts = pickle.loads(content)  # noqa: S301 - it was inside what is being unpickled
    made, found = make(*parts), _under(_MAIN, name)
    same = type(found) is type(made) and _code_of(found.primal) == _code_of(made.primal)
    return found if same else made


def _code_of(primal: Any) -> CodeType | None:
    return getattr(innermost(primal), "__code__", None)


def _texts_of(function: Any, seen: set[int]) -> Iterator[tuple[str, str]]:
    """Yield the texts of the files of a function and of those it calls, by name, if others lack it.

    Those are the cells of a notebook, and the program itself.
    """
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    file = function.__code__.co_filename
    if function.__module__ == _MAIN or not Path(file).exists():
        text = "".join(linecache.getlines(file, function.__globals__))
        if text:
            yield file, text
        for name in function.__code__.co_names:
            yield from _texts_of(_as_function(function.__globals__.get(name)), seen)
        for cell in function.__closure__ or ():
            try:
                yield from _texts_of(_as_function(cell.cell_contents), seen)
            except ValueError:  # it is not bound yet
                continue


def _as_function(value: Any) -> Any:
    return innermost(value) if hasattr(value, "__srcgrad_taken__") else value


def _with_texts(texts: Mapping[str, str], make: Callable[..., Any], *parts: Any) -> Any:
    """Make something of its parts; texts of files that are not here are kept where Python looks."""
    for file, text in texts.items():
        if not linecache.getlines(file):
            linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    return make(*parts)


def _made_again(kind: Any, state: dict[str, Any]) -> Any:
    made = object.__new__(kind)
    vars(made).update(state)
    return made
