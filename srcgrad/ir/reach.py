"""Says which functions of users a function may reach, by the names that stand in it."""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.backends.compat import is_of_compat
from srcgrad.by_text import BY_TEXT, OF_OWN_MODULE
from srcgrad.ir.packages import is_library_name, is_of_python, package_of
from srcgrad.runtime.objects import held_attribute, hides_class

_MOST: Final = 3000
"""So many functions are looked at, and so many objects for functions that they hold: a program may
reach the whole of the framework that it runs in. Who asks is told that there is more."""
_WIDEST: Final = 20_000
_PLAIN: Final = (int, float, complex, str, bytes, np.ndarray, np.generic, type(None), ModuleType)
_HOLDING: Final = ("types", "collections", "functools", "contextlib")
"""Python's modules with classes whose objects hold whatever users put there."""
_GLOBAL: Final = ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME", "STORE_NAME")
_PUTTING: Final = ("unittest", "importlib", "runpy")
"""Python's modules with functions that put others in the place of what they are told."""
_ONLY_IMPORTING: Final = tuple(
    f"importlib.{name}" for name in ("import_module", "util.find_spec", "metadata.", "resources.")
)
"""Functions among those that do no more than a statement `import` does."""
_FOREIGN: Final = (
    *("numpy", "scipy", "pandas", "srcgrad", "builtins", "cupy"),
    *("sympy", "mpmath", "torch", "matplotlib"),
)
"""What calls of users' functions those alone that it is given: it knows of no others."""
_CALLED: Final = (FunctionType, staticmethod, classmethod, property)
_Steps = tuple[list[FunctionType], frozenset[int]]
_KNOWN: ContextVar[dict[FunctionType, _Steps] | None] = ContextVar("srcgrad_reached", default=None)


@dataclass(frozen=True, slots=True)
class Reached:
    """Functions that may run with one; there are others, of which nothing is known, if not all."""

    functions: list[FunctionType]
    are_all: bool


def reached_functions(function: FunctionType, given: Iterable[Any] = ()) -> Reached:
    """Return a function and those of users that it may reach by the names that stand in it.

    So with those of what it is given, and of tables, `partial` objects and objects among that.

    >>> def f(x):
    ...     return 2 * x
    >>> reached = reached_functions(f)
    >>> [item.__name__ for item in reached.functions], reached.are_all
    (['f'], True)
    """
    waiting, seen, met = [function], {function: None}, set[int]()
    known = _KNOWN.get()

    def meet(values: Iterable[FunctionType]) -> None:
        new = [value for value in values if value not in seen]
        seen.update(dict.fromkeys(new))
        waiting.extend(dict.fromkeys(new))

    meet(_users(_functions(given, met)))
    while waiting and len(seen) < _MOST:
        next_ones, held = _steps_from(waiting.pop(), known)
        meet(next_ones)
        met |= held
    return Reached(list(seen), not waiting and len(met) < _WIDEST)


@contextmanager
def nothing_bound() -> Iterator[None]:
    """Let what functions reach be looked at once each, within a block that binds no name anew."""
    if _KNOWN.get() is not None:
        yield
        return
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def _steps_from(function: FunctionType, known: dict[FunctionType, _Steps] | None) -> _Steps:
    """Return the functions of users that one reaches without others, and the objects on the way."""
    found = None if known is None else known.get(function)
    if found is None:
        met = set[int]()
        found = list(_users(_reached_by(function, values_of(function), met))), frozenset(met)
        if known is not None:
            known[function] = found
    return found


def _users(functions: Iterable[FunctionType]) -> Iterator[FunctionType]:
    return (function for function in functions if not _is_foreign(function))


def seen_elsewhere(function: FunctionType) -> frozenset[str] | None:
    """Return the names in the other functions that a function reaches, itself if it is called.

    None if there are too many to be looked at, or if some find names by what texts say: any name
    may be seen there.
    """
    reached = reached_functions(function)
    if not reached.are_all:
        return None
    others = [item for item in reached.functions if item is not function]
    again = function.__name__ in function.__code__.co_names  # it may call itself
    if any(map(_finds_names, others)):
        return None
    codes = [item.__code__ for item in others] + [function.__code__] * again
    return frozenset(name for code in codes for name in (*_names(code), *code.co_freevars))


def _finds_names(function: FunctionType) -> bool:
    """Say whether a function may read names of modules that do not stand in it."""
    spelled = BY_TEXT.intersection(_names(function.__code__))
    if not spelled.isdisjoint((*OF_OWN_MODULE, "modules", "import_module")):
        return True
    return bool(spelled) and not all(map(_is_foreign, modules_named(function)))


def knows_names(function: FunctionType, holder: Any, names: Collection[str]) -> bool:
    """Say whether a function may reach some names of a module's namespace, a class or a cell.

    An attribute of such a name may be one of any object that hands on to the module, unless arrays
    have it.

    >>> TABLE = [1.0]
    >>> def total(x):
    ...     return sum(TABLE) + x.size
    >>> [knows_names(total, globals(), [name]) for name in ("TABLE", "size", "other")]
    [True, False, False]
    """
    if isinstance(holder, CellType):
        return any(cell is holder for cell in function.__closure__ or ())
    own, wanted = function.__globals__ is holder, set(names)
    if own and not _global_names(function.__code__).isdisjoint(wanted):
        return True
    spelled = set(_names(function.__code__))
    modules = modules_named(function)
    reached = isinstance(holder, type) or any(vars(item) is holder for item in modules)
    if not BY_TEXT.isdisjoint(spelled):
        by_any = own and not OF_OWN_MODULE.isdisjoint(spelled)
        if reached or by_any or not wanted.isdisjoint(_texts(function.__code__)):
            return True
    met = wanted & spelled
    return bool(met) and (reached or not all(hasattr(np.ndarray, name) for name in met))


def modules_named(function: FunctionType) -> list[ModuleType]:
    """Return the modules that a function may read: by their names, in packages, and by imports."""
    names = set(_names(function.__code__))
    every = {*names, *_texts(function.__code__)} if not BY_TEXT.isdisjoint(names) else names
    known = [*values_of(function).values(), *(sys.modules.get(name) for name in every)]
    found = {id(item): item for item in known if isinstance(item, ModuleType)}
    waiting = list(found.values())
    for module in waiting:
        if _is_foreign(module):
            continue
        inside = [vars(module)[name] for name in names if name in vars(module)]
        new = [item for item in inside if isinstance(item, ModuleType) and id(item) not in found]
        found.update((id(item), item) for item in new)
        waiting += new
    return waiting


@functools.lru_cache(maxsize=4096)
def _global_names(code: CodeType) -> frozenset[str]:
    """Return the names of its module that some code reads or binds, itself or further inside."""
    found = {item.argval for item in dis.get_instructions(code) if item.opname in _GLOBAL}
    inner = (item for item in code.co_consts if isinstance(item, CodeType))
    return frozenset(found).union(*map(_global_names, inner))


def _texts(code: CodeType) -> Iterator[str]:
    """Yield the texts that stand in some code, which may be names."""
    for item in code.co_consts:
        if isinstance(item, str):
            yield item
        elif isinstance(item, CodeType):
            yield from _texts(item)


def values_of(function: FunctionType) -> dict[str, Any]:
    """Return what the free names of a function mean.

    Those that pytest puts in the place of assertions are left out, which begin with a sign that no
    name of Python has: all of pytest would be reached by them.
    """
    names = (name for name in _names(function.__code__) if not name.startswith("@"))
    values = {name: function.__globals__.get(name) for name in names}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # it is not bound yet
            continue
    return {name: value for name, value in values.items() if not hides_class(value)}


def read_outside(functions: Iterable[FunctionType]) -> Iterator[tuple[str, Any]]:
    """Yield what functions may read outside, also in modules and as defaults, by its names."""
    for function in functions:
        known = {*_global_names(function.__code__), *function.__code__.co_freevars}
        values = {name: value for name, value in values_of(function).items() if name in known}
        yield from values.items()
        every = set(_names(function.__code__))
        for module in modules_named(function):
            inside = vars(module)
            yield from ((key, inside[key]) for key in every if key in inside)
        yield from (("", value) for value in function.__defaults__ or ())
        yield from (function.__kwdefaults__ or {}).items()


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names(item)


def _reached_by(
    function: FunctionType, values: dict[str, Any], met: set[int]
) -> Iterator[FunctionType]:
    """Yield the functions that a function may call by the names that stand in it."""
    names = set(_names(function.__code__))
    for module in modules_named(function):
        if not _is_foreign(module):
            yield from _functions([vars(module).get(name) for name in names], met)
    yield from _functions([*values.values(), *_defaults(function)], met)


def _defaults(function: FunctionType) -> Iterator[Any]:
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _functions(values: Iterable[Any], met: set[int]) -> Iterator[FunctionType]:
    """Yield the functions among values, in tables of such, and those of classes and objects."""
    waiting = list(values)
    for value in waiting:
        if hides_class(value):
            continue
        if isinstance(value, FunctionType):
            yield value
        elif not isinstance(value, _PLAIN) and id(value) not in met and len(met) < _WIDEST:
            met.add(id(value))
            waiting += _held_in(value)


def _held_in(value: Any) -> Iterable[Any]:
    """Return what a value other than a function may call, or holds."""
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, dict):
        held: list[Any] = list(value.values())
    else:
        held = []
    plain = None
    if callable(value):  # others may answer with any error when they are asked
        plain = held_attribute(value, "__wrapped__", held_attribute(value, "__func__"))
    if isinstance(value, property):
        held += [value.fget, value.fset]
    if plain is not None:
        held.append(plain)
    kind = value if isinstance(value, type) else type(value)
    if isinstance(plain, FunctionType) or _is_foreign(kind) or _is_of_library(kind):
        return held
    held += [item for item in vars(kind).values() if isinstance(item, _CALLED)]
    fields = {} if isinstance(value, type) else getattr(value, "__dict__", None)
    return held + list(fields.values()) if isinstance(fields, dict) else held


def _is_of_library(kind: type) -> bool:
    """Say whether objects of a class hold what is of no program, as loggers do, and as modules."""
    module = kind.__module__ or ""
    return is_library_name(module) and module.partition(".")[0] not in _HOLDING


def _is_foreign(value: Any) -> bool:
    """Say whether something is of a library, which binds nothing in the modules of users."""
    if isinstance(value, FunctionType) and is_of_python(value):
        name = f"{value.__module__}.{value.__qualname__}"
        return package_of(value) not in _PUTTING or name.startswith(_ONLY_IMPORTING)
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    first = (name or "").partition(".")[0]
    return first in _FOREIGN or is_of_compat(name)
