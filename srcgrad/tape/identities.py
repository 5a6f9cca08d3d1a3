"""Finds code that may ask by ``is`` whether something is a type of numbers.

What stands in for a type is equal to it, but not the same object: where that may be asked, the
type stays what it is.
"""

from __future__ import annotations

import builtins
import dis
import functools
import types
from collections.abc import Iterator, Mapping, Set
from typing import Any, Final

_IS: Final = dis.opmap["IS_OP"]
_ASKERS: Final = frozenset(("id", "is_", "is_not"))
_KINDS: Final = {"LOAD_GLOBAL": "global", "LOAD_NAME": "global", "LOAD_DEREF": "cell"}
_MISSING: Final = object()
_FIELDS: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD"))
_NOTHING: Final = frozenset(("EXTENDED_ARG", "PUSH_NULL", "CACHE"))

Path = tuple[str, ...]
"""Where a name is looked up, the name, and the attributes behind it; empty for any value."""
_SELF: Final[Path] = ("local", "self")
_OF_A_FIELD: Final = 3


def may_be_asked_for(
    kinds: Set[Any], code: types.CodeType, scope: Mapping[str, Any], cells: Mapping[str, Any], /
) -> bool:
    """Say whether code may ask by identity for one of some types.

    `scope` and `cells` are what the names of the function mean that the code is of.

    >>> def of_nothing(x):
    ...     return x is None or x is of_nothing
    >>> def of_a_type(x):
    ...     return type(x) is float
    >>> def of_anything(x, y):
    ...     return x is y
    >>> asking, scope = (of_nothing, of_a_type, of_anything), {"of_nothing": of_nothing}
    >>> [may_be_asked_for({float}, f.__code__, scope, {}) for f in asking]
    [False, True, True]
    """
    found = (_meant(path, scope, cells) for path in _compared(code) if path[:1] != ("field",))
    return any(value is _MISSING or (isinstance(value, type) and value in kinds) for value in found)


def fields_compared(code: types.CodeType) -> frozenset[str]:
    """Return the fields in which code compares objects by identity, ``a.kind is b.kind``.

    >>> def same(a, b):
    ...     return a.kind is b.kind
    >>> fields_compared(same.__code__), may_be_asked_for({float}, same.__code__, {}, {})
    (frozenset({'kind'}), False)
    """
    return frozenset(path[-1] for path in _compared(code) if path[:1] == ("field",))


def _meant(path: Path, scope: Mapping[str, Any], cells: Mapping[str, Any]) -> Any:
    place, name, *fields = path or ("", "")
    value = cells.get(name, _MISSING) if place == "cell" else _MISSING
    if place == "global":
        value = scope.get(name, getattr(builtins, name, _MISSING))
    for field in fields:
        value = getattr(value, field, _MISSING)
    return value


@functools.lru_cache(maxsize=10_000)
def _compared(code: types.CodeType) -> frozenset[Path]:
    """Return the dotted names with which code compares by identity."""
    asks = _IS in code.co_code[::2] or not _ASKERS.isdisjoint(code.co_names)
    return frozenset(_paths(code)) if asks else frozenset()


def _steps(code: types.CodeType) -> Iterator[tuple[str, Any, bool]]:
    """Yield the steps of some code: what each does, with what, and whether others lead there."""
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_FAST_LOAD_FAST":
            yield from (("LOAD_FAST", name, step.is_jump_target) for name in step.argval)
        elif step.opname not in _NOTHING:
            yield step.opname, step.argval, step.is_jump_target


def _paths(code: types.CodeType) -> Iterator[Path]:
    left: Path | None = ()
    path: Path | None = ()  # None for a value that is no type of numbers
    asker = False
    for what, said, joined in _steps(code):
        if what == "IS_OP":
            if joined:
                yield ()
            elif path is not None and _SELF not in (left, path):
                yield _asked(left, path)
            continue
        if asker and said != "self":
            yield ()
        if what.startswith("LOAD_") and what not in _FIELDS:
            left = () if joined else path
        path = _gone_on(path, what, said)
        asker = bool(path) and said in _ASKERS


def _asked(left: Path | None, path: Path) -> Path:
    """Return what an operand may be; of two that are one field of objects, that field."""
    if left is None or min(len(left), len(path)) < _OF_A_FIELD:
        return path
    one, other = (item[-1].lstrip("_") for item in (left, path))  # it may have a property
    return ("field", one) if one == other else path


def _gone_on(path: Path | None, what: str, said: Any) -> Path | None:
    """Return the dotted name that a step leaves on the stack."""
    if what == "LOAD_CONST":
        return None
    if what == "LOAD_FAST":
        return "local", said
    if what in _KINDS:
        return _KINDS[what], said
    if what not in _FIELDS or not path:
        return ()
    return None if path == _SELF and said == "__class__" else (*path, said)
