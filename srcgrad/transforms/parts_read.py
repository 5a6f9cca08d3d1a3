"""Says which items are read of a tuple that is bound to one name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import names_read, statements, walk


def parts_read(block: list[Any], name: str, is_active: Callable[[Any], bool]) -> set[int]:
    r"""Return the places of a tuple whose items matter, nothing if all of them may.

    >>> tree = gast.parse("s = both[1]\nu, v = both")
    >>> sorted(parts_read(tree.body, "both", lambda item: item.id in "su"))
    [0, 1]
    """
    used: set[int] = set()
    for statement in statements(block):
        value = getattr(statement, "value", None)
        reads = names_read(statement).count(name)
        if not reads:
            continue
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(value, gast.Name) and isinstance(target, gast.Tuple) and reads == 1:
            names = list(enumerate(target.elts))
            if any(isinstance(item, gast.Starred) for item in target.elts):
                return set()
            used |= {place for place, item in names if is_active(_loaded(item))}
            continue
        found = (_place(node, name) for node in walk(statement))
        places = [place for place in found if place is not None]
        if len(places) != reads or min(places) < 0:
            return set()
        used.update(places)
    return used


def _loaded(item: Any) -> Any:
    return gast.Name(item.id, gast.Load(), None, None) if isinstance(item, gast.Name) else item


def _place(node: Any, name: str) -> int | None:
    """Return the number in ``name[number]``."""
    if not isinstance(node, gast.Subscript) or getattr(node.value, "id", "") != name:
        return None
    place = getattr(node.slice, "value", None)
    return place if isinstance(place, int) and not isinstance(place, bool) else None
