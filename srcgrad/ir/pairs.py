"""Says what each target of an assignment is bound to, as far as a display shows that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast


def pairs_up(target: Any, value: Any) -> bool:
    """Say whether an assignment binds each of several targets to a value of its own."""
    if not isinstance(target, gast.Tuple) or not isinstance(value, (gast.Tuple, gast.List)):
        return False
    starred = any(isinstance(item, gast.Starred) for item in (*target.elts, *value.elts))
    return not starred and len(target.elts) == len(value.elts)


def bound_pairs(target: Any, value: Any) -> list[tuple[Any, Any]]:
    """Return the targets of an assignment with what each is bound to, as far as that is shown.

    >>> from srcgrad.codegen.printer import to_source
    >>> (line,) = gast.parse("a, (b, c) = x[0], f(x)").body
    >>> [
    ...     (to_source(target).strip(), to_source(value).strip())
    ...     for target, value in bound_pairs(line.targets[0], line.value)
    ... ]
    [('a', 'x[0]'), ('b, c', 'f(x)')]
    """
    if not pairs_up(target, value):
        return [(target, value)]
    both = zip(target.elts, value.elts, strict=True)
    return [pair for part, given in both for pair in bound_pairs(part, given)]


def names_with_values(assignment: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names that an assignment binds to values which are shown, each with its own."""
    for target in assignment.targets:
        for part, value in bound_pairs(target, assignment.value):
            if isinstance(part, gast.Name):
                yield part.id, value
