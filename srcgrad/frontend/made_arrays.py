"""Says which names of a function are bound to new arrays of numbers alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from srcgrad.frontend.apart import targets_of
from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.walk import names_bound, walk

TARGETING: Final = frozenset(
    (gast.Assign, gast.AnnAssign, gast.NamedExpr, gast.For, gast.comprehension)
).union((gast.withitem, gast.Delete))
"""What `targets_of` looks into."""


def arrays_made(nodes: Iterable[Any], given: Iterable[str], reader: Reader) -> set[str]:
    """Return the names that are bound to new arrays of numbers alone, or to parts of such."""
    made: dict[str, list[Any]] = defaultdict(list)
    for name in given:
        made[name].append(None)
    for node in nodes:
        for target in targets_of(node) if node.__class__ in TARGETING else ():
            plain = isinstance(target, gast.Name)
            for name in names_bound(target):
                made[name].append(getattr(node, "value", None) if plain else None)
    arrays = set(made)
    while wrong := {n for n in arrays if not all(_is_array(v, arrays, reader) for v in made[n])}:
        arrays -= wrong
    return arrays


def _is_array(value: Any, arrays: set[str], reader: Reader) -> bool:
    if isinstance(value, gast.Subscript):
        return isinstance(value.value, gast.Name) and value.value.id in arrays
    if not isinstance(value, gast.Call) or any(
        _may_be_objects(item, reader) for item in walk(value)
    ):
        return False
    operation = reader.read(value)
    if operation.primal is None or operation.kind not in ("primitive", "constant"):
        return False
    known = reader.vocabulary.primitive(operation.primal)
    return known.name.startswith("numpy.") and known.gives in ("array", "number")


def _may_be_objects(node: Any, reader: Reader) -> bool:
    """Say whether a part of a call may make its array one of objects, which keeps them."""
    if isinstance(node, gast.Constant):
        return node.value is None or isinstance(node.value, str)
    return reader.scope.resolve(node) is object
