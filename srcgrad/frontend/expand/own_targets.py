"""Gives names to what is unpacked into fields of objects, which are variables themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import store
from srcgrad.ir.walk import names_read


def with_names(
    target: Any, is_field: Callable[[Any], bool], variable: Callable[[str], str]
) -> tuple[Any, list[tuple[Any, str]]]:
    """Return targets that are names, and what is bound to those names then, in order.

    Targets none of which is a field stay as they are.

    >>> target = gast.parse("self.a, (b, self.c[b]) = f()").body[0].targets[0]
    >>> fields = lambda item: isinstance(item, gast.Attribute)
    >>> named, later = with_names(target, fields, "new_{}".format)
    >>> gast.unparse(named), [(gast.unparse(item), name) for item, name in later]
    ('(new_a, (new_b, new_part))', [('self.a', 'new_a'), ('b', 'new_b'), ('self.c[b]', 'new_part')])
    """
    leaves = list(_leaves(target))
    if not any(map(is_field, leaves)):
        return target, []
    read = {name for leaf in leaves if not isinstance(leaf, gast.Name) for name in names_read(leaf)}
    later: list[tuple[Any, str]] = []

    def named(item: Any) -> Any:
        if isinstance(item, (gast.Tuple, gast.List)):
            return gast.Tuple([named(part) for part in item.elts], gast.Store())
        if isinstance(item, gast.Starred):
            return gast.Starred(named(item.value), gast.Store())
        if isinstance(item, gast.Name) and item.id not in read:
            return item
        name = variable(getattr(item, "attr", getattr(item, "id", "part")))
        later.append((item, name))
        return store(name)

    return named(target), later


def _leaves(target: Any) -> Iterator[Any]:
    """Yield the targets that are no tuples."""
    if isinstance(target, (gast.Tuple, gast.List)):
        for item in target.elts:
            yield from _leaves(item)
    elif isinstance(target, gast.Starred):
        yield from _leaves(target.value)
    else:
        yield target
