"""Says whether what a name of a module means is reached in another way while a program runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from srcgrad.ir.program import Program
from srcgrad.ir.reach import reached_functions, read_outside, seen_elsewhere
from srcgrad.runtime.objects import held_by

_MOST: Final = 20_000
"""Values that are looked through: whoever reaches more may reach anything."""
_PLAIN: Final = (int, float, complex, str, bytes, np.generic, type(None))


def is_seen_elsewhere(program: Program, name: str) -> bool:
    """Say whether other functions see a name of the program's, or its memory has another name.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of("def f(x): return x * np.pi")
    >>> is_seen_elsewhere(program, "np")
    False
    """
    scope = program.reader.scope
    seen = seen_elsewhere(scope.function)
    if seen is None or name in seen:
        return True
    value = scope.lookup(name)
    others = [binding.value for binding in scope.dotted.values()]
    others += [binding.value for key, binding in scope.used.items() if key != name]
    reached = reached_functions(scope.function).functions
    others += [value for key, value in read_outside(reached) if key != name]
    for count, item in enumerate(_held_in(others)):
        if count > _MOST or item is value or _share(item, value):
            return True
    return False


def is_own_array(program: Program, name: str) -> bool:
    """Say whether a name means an array of floats with axes, which is reached by that name alone.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of("def f(x): return x * np.pi")
    >>> is_own_array(program, "np")
    False
    """
    value = program.reader.scope.lookup(name)
    floats = type(value) is np.ndarray and value.ndim > 0 and value.dtype.kind in "fc"
    return floats and value.flags.writeable and not is_seen_elsewhere(program, name)


def _share(one: Any, other: Any) -> bool:
    both = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    return both and bool(np.may_share_memory(one, other))


def _held_in(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values, and what is in the lists, dicts, classes and objects among them."""
    waiting, met = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if isinstance(value, _PLAIN) or id(value) in met:
            continue
        met.add(id(value))
        yield value
        waiting += held_by(value)
