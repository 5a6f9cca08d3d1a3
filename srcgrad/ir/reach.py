"""Says which functions of users a function may reach, by the names that stand in it."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from srcgrad.ir.packages import is_of_python, package_of

_MOST: Final = 500


def reached_functions(function: FunctionType) -> list[FunctionType]:
    """Return a function and those of users that it may reach by the names that stand in it."""
    waiting, seen = [function], {function: None}
    while waiting and len(seen) < _MOST:
        reached = waiting.pop()
        for value in _reached_by(reached, values_of(reached)):
            if value not in seen and not _is_foreign(value):
                seen[value] = None
                waiting.append(value)
    return list(seen)


def seen_elsewhere(function: FunctionType) -> frozenset[str]:
    """Return the names in the other functions that a function reaches, itself if it is called."""
    others = [item for item in reached_functions(function) if item is not function]
    again = function.__name__ in function.__code__.co_names  # it may call itself
    codes = [item.__code__ for item in others] + [function.__code__] * again
    return frozenset(name for code in codes for name in (*_names(code), *code.co_freevars))


def values_of(function: FunctionType) -> dict[str, Any]:
    """Return what the free names of a function mean."""
    values = {name: function.__globals__.get(name) for name in _names(function.__code__)}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # it is not bound yet
            continue
    return values


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names(item)


def _reached_by(function: FunctionType, values: dict[str, Any]) -> Iterator[FunctionType]:
    """Yield the functions that a function may call by the names that stand in it."""
    modules = [item for item in values.values() if isinstance(item, ModuleType)]
    names = set(_names(function.__code__))
    for module in modules:
        if not _is_foreign(module):
            yield from _functions(vars(module).get(name) for name in names)
    yield from _functions(values.values())


def _functions(values: Any) -> Iterator[FunctionType]:
    for value in values:
        plain = getattr(value, "__wrapped__", getattr(value, "__func__", value))
        if isinstance(plain, FunctionType):
            yield plain
            continue
        kind = value if isinstance(value, type) else type(value)
        if not _is_foreign(kind):
            yield from (item for item in vars(kind).values() if isinstance(item, FunctionType))


def _is_foreign(value: Any) -> bool:
    """Say whether something is of a library, which binds nothing in the modules of users.

    Of Python's own some do: they put others in the place of what they are told.
    """
    if isinstance(value, FunctionType) and is_of_python(value):
        return package_of(value) not in ("unittest", "importlib", "runpy")
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return (name or "").partition(".")[0] in ("numpy", "scipy", "srcgrad", "builtins", "cupy")
