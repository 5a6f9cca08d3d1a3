"""Says whether the text of a file is that which a function was loaded from."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

_COMPILED: Final[dict[str, tuple[list[str], dict[tuple[str, int], list[CodeType]]]]] = {}
_MOST: Final = 200


def is_as_loaded(function: FunctionType, lines: list[str]) -> bool:
    """Say whether the lines, compiled, give the function's code.

    Where something other than Python's own loader compiled the file, as pytest does with
    assertions, that cannot be told, and the text is taken for the right one.
    """
    code = function.__code__
    place = code.co_name, code.co_firstlineno
    if any(_is_same(code, other) for other in _codes_of(code.co_filename, lines).get(place, ())):
        return True
    scope = function.__globals__
    is_plain = type(scope.get("__loader__")) is SourceFileLoader
    own, shown = scope.get("__file__") or "", code.co_filename  # a script's may be relative
    return not is_plain or Path(own).name != Path(shown).name


def _codes_of(file: str, lines: list[str]) -> dict[tuple[str, int], list[CodeType]]:
    """Return the codes of the functions in a file, by name and line, compiled once for a text."""
    known = _COMPILED.get(file)
    if known is not None and known[0] is lines:
        return known[1]
    found: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    try:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        whole = compile("".join(lines), file, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        pass
    else:
        for code in _nested(whole):
            found[code.co_name, code.co_firstlineno].append(code)
    if len(_COMPILED) >= _MOST:
        _COMPILED.clear()
    _COMPILED[file] = lines, found
    return found


def _nested(code: CodeType) -> Iterator[CodeType]:
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield item
            yield from _nested(item)


def _is_same(code: CodeType, other: CodeType) -> bool:
    """Say whether two pieces of code do the same, wherever they stand."""
    return (
        code.co_code == other.co_code
        and code.co_names == other.co_names
        and code.co_varnames == other.co_varnames
        and code.co_freevars == other.co_freevars
        and len(code.co_consts) == len(other.co_consts)
        and all(map(_is_same_constant, code.co_consts, other.co_consts))
    )


def _is_same_constant(one: Any, other: Any) -> bool:
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return _is_same(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same_constant, one, other))
    if isinstance(one, frozenset):
        return bool(one == other)
    return type(one) is type(other) and repr(one) == repr(other)  # also of NaN, 0.0 and -0.0
